"""Reinforcement learning for rummy games."""
