"""The command line program ``toolwire``, also ``python -m toolwire``.

| module | commands |
|---|---|
| ``main`` | the parser, the exit status, broken pipes |
| ``detect`` | ``toolwire detect``, ``toolwire formats`` |
| ``models`` | ``toolwire models`` |
| ``transcript`` | ``toolwire transcript`` |
| ``agent_folders``, ``log_files`` | the logs that it reads: agents' folders, files, patterns |
| ``log_print`` | what it prints of messages, calls, failures and accounts |
| ``log_summary`` | its sums by tool, agent, model and day; prices |
| ``log_rows`` | its rows of calls, in files of JSON, CSV or Parquet |
| ``log_work`` | reads many logs, in one process or several |
| ``sessions``, ``session_index`` | ``toolwire sessions``, and its index |
| ``interrupt`` | Ctrl-C while files are written |
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
