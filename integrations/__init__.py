"""Rewards and advantages handed to other trainers, one module a host (`rewardgate.integrations.trl`).

Importing this loads no host and no torch; a host's own module loads what it needs when it is asked for it.
"""
