"""A run that one language starts and another one resumes."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from pathlib import Path

from toolwire.tools import AdvancedToolExecutor, SqliteStore, ToolDefinition

ROOT = Path(__file__).resolve().parents[2]
CALL = {"id": "call_1", "type": "WIPE", "payload": {"disk": 7, "deep": {"list": [], "map": {}}}}
PHP = r"""
use Toolwire\Tools\{Executor, Registry, Store\Sqlite, ToolDefinition, ToolInput, ToolOutput};

$registry = new Registry();
$wipe = static fn (ToolInput $input): ToolOutput => ToolOutput::ok(['got' => $input->json()]);
$registry->register(new ToolDefinition('wipe', 'WIPE', $wipe, requiresApproval: true));
$executor = new Executor($registry, new Sqlite($argv[1]));
[$waiting] = $executor->waiting();
echo json_encode([$waiting->state, $executor->resume($waiting->id)->toArray()]);
"""


def executor_of(path: Path) -> AdvancedToolExecutor:
    def never(_: object) -> None:
        raise AssertionError("the other language runs the handler")

    executor = AdvancedToolExecutor(store=SqliteStore(path))
    executor.register(ToolDefinition("wipe", "WIPE", never, requires_approval=True))
    return executor


def test_python_starts_and_php_resumes(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"

    async def begun() -> str:
        executor = executor_of(path)
        run = await executor.start(CALL)
        assert run.state == "waiting"
        assert run.approval_id is not None
        await executor.approvals.decide(run.approval_id, True)
        return run.id

    run_id = asyncio.run(begun())
    php = shutil.which("php")
    assert php is not None
    extension = f"extension={ROOT / 'build' / 'toolwire.so'}"
    command = [php, "-d", extension, "-r", PHP, "--", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    state, resumed = json.loads(done.stdout)
    assert (state, resumed["id"], resumed["state"]) == ("approved", run_id, "completed")
    assert json.loads(resumed["output"]["data"]["got"]) == CALL["payload"]

    again = asyncio.run(executor_of(path).start(CALL))
    assert (again.id, again.state, again.output is not None) == (run_id, "completed", True)
    assert again.output is not None
    assert again.output.data == resumed["output"]["data"]
