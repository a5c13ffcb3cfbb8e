"""The commands ``toolwire issue-agent run`` and ``toolwire issue-agent summarize``.

| module | what it does |
|---|---|
| ``command`` | the options, and ``summarize`` |
| ``task`` | finds out which issue is meant, and loads the user's tools |
| ``run`` | puts the agent together from the options and the environment, and runs it |
| ``outcome`` | prints what a record says, and gives the exit status |
| ``log`` | prints text of strangers so that no line is a command to a terminal or a runner |
"""

from __future__ import annotations

from toolwire.cli.issue_agent.command import add_to

__all__ = ["add_to"]
