"""Gin and Oklahoma gin: solver, engine, observation and scripted policies, all compiled."""
