"""Agents: everything that can sit at a table, behind one protocol and one way to name it."""

from agents.base import Agent, AgentError, make_agent

__all__ = ["Agent", "AgentError", "make_agent"]
