"""The command line program ``toolwire``, also ``python -m toolwire``.

| module | commands |
|---|---|
| ``main`` | the parser, the exit status, broken pipes |
| ``detect`` | ``toolwire detect``, ``toolwire formats`` |
| ``models`` | ``toolwire models`` |
| ``transcript`` | ``toolwire transcript`` |
| ``approvals`` | ``toolwire approvals`` |
| ``undo`` | ``toolwire undo`` |
| ``store`` | what the two have in common: the store file and its errors |
| ``parser`` | how a command gets its parser |
| ``issue_agent`` | ``toolwire issue-agent run``, ``toolwire issue-agent summarize`` |
| ``terminal`` | what all of them print with: text that cannot steer a terminal, JSON, errors |
| ``fold`` | JSON for a person to read, long values folded |

A module of commands has ``add_to(commands)``, which adds its parsers; each parser sets ``run``, a
function from the arguments to the exit status. A command fails by raising
:class:`~toolwire.cli.terminal.FailedError`.
"""
