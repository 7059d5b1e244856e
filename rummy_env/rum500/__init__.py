"""The compiled engine of 500 Rum; its files have the names and roles of those in :mod:`rummy_env.gin`."""
