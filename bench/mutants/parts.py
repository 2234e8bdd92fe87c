"""Parts: which code is mutated, and the tests that must notice."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Part:
    """Some code and its tests."""

    name: str
    title: str
    code: Mapping[str, Sequence[str] | None]
    """Files or folders, each with the functions to mutate; None means all of them."""
    tests: Sequence[str]
    quick: float = math.inf
    """A test that takes more seconds (with its lines traced) runs only for mutants of the file that it mirrors."""

    def files(self, root: Path) -> list[tuple[str, Sequence[str] | None]]:
        found: list[tuple[str, Sequence[str] | None]] = []
        for name, functions in self.code.items():
            path = root / name
            files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
            found += [(str(file.relative_to(root)), functions) for file in files]
        return found


_PARTS = (
    Part(
        "verifier",
        "The verifier",
        {"verifier": None},
        ("tests/verifier", "tests/gate/test_strictness.py"),
        quick=0.25,
    ),
    Part(
        "publish",
        "The publish step",
        {
            "workers/pipeline/pipeline.py": None,
            "workers/pipeline/sealing.py": None,
            "publication/kinds/table.py": None,
            "publication/kinds/graph.py": None,
            "workers/pipeline/lineage.py": None,
            "workers/pipeline/composition.py": None,
            "publication/evidence.py": None,
            "workers/process/tasks.py": ("run_job", "_carry_out", "_will_pass", "_fail", "_give_back", "_end", "_tell"),
            "workers/run/problems.py": ("reason_json", "refusal_of"),
            "workers/run/report.py": (
                "Outcome.guarantees",
                "build_report",
                "public_parameters",
                "promises_differential_privacy",
                "achieved_k",
                "headline_risk",
            ),
            "antifaz/assessment.py": ("refuse", "gate_figures", "_edges_changed"),
            "storage/releases/releases.py": ("lock_lineage", "publish", "earlier_releases", "_with_artifacts"),
            "storage/releases/reports.py": ("save_report",),
            "storage/jobs/jobs.py": ("finish", "release_lease", "_mine"),
            "storage/blobs/blobs.py": (
                "ChunkCipher.encrypt",
                "ChunkCipher.decrypt",
                "ChunkCipher._associated",
                "ChunkWriter.feed",
                "ChunkWriter.finish",
                "ChunkWriter._cut",
                "wrap_key",
                "unwrap_key",
                "write_release_blob",
                "announce_blob",
                "settle_blob",
                "_chunks_of",
                "open_release_blob",
                "read_release_chunks",
                "_trimmed_chunks",
                "mark_published",
                "delete_release_blobs",
            ),
            "storage/blobs/chunks.py": ("Chunks.put", "Chunks.get", "Chunks.get_all", "Chunks.delete"),
        },
        (
            "tests/workers/pipeline/test_pipeline.py",
            "tests/workers/pipeline/test_pipeline_lineage.py",
            "tests/workers/pipeline/test_composition.py",
            "tests/workers/pipeline/test_pipeline_noise.py",
            "tests/workers/pipeline/test_pipeline_refusals.py",
            "tests/workers/test_task_kinds.py",
            "tests/workers/process/test_tasks.py",
            "tests/workers/test_gate.py",
            "tests/publication/test_evidence.py",
            "tests/storage/releases/test_releases.py",
            "tests/storage/releases/test_reports.py",
            "tests/storage/test_job_sweeping.py",
            "tests/storage/test_job_turns.py",
            "tests/storage/jobs/test_jobs.py",
            "tests/storage/blobs/test_blobs.py",
            "tests/storage/test_sealing.py",
        ),
    ),
    Part(
        "tables",
        "What protects tables",
        {
            "antifaz/tables/methods/suppress.py": None,
            "antifaz/tables/masking": None,
            "antifaz/tables/classes": None,
            "antifaz/tables/labels": None,
            "antifaz/tables/lattice": None,
            "antifaz/tables/risk": None,
            "antifaz/tables/attacks": None,
            "antifaz/tables/utility": None,
        },
        (
            "tests/antifaz/tables",
            "tests/antifaz/test_described.py",
            "tests/antifaz/test_protection.py",
            "tests/antifaz/test_shared.py",
            "tests/antifaz/test_unchanged.py",
            "tests/antifaz/test_unchanged_and_alone.py",
            "tests/verifier/evidence/test_unchanged.py",
        ),
        quick=1.5,
    ),
    Part(
        "jobs",
        "The rows of jobs",
        {"storage/jobs": None},
        (
            "tests/storage/jobs",
            "tests/storage/test_job_sweeping.py",
            "tests/storage/test_job_turns.py",
            "tests/storage/operations",
            "tests/service/jobs",
            "tests/service/routes/test_advice.py",
            "tests/service/routes/test_jobs.py",
            "tests/service/routes/test_questions.py",
            "tests/workers/test_answers_and_releases.py",
            "tests/workers/process/test_tasks.py",
            "tests/workers/tasks",
            "tests/courier/test_webhooks.py",
        ),
    ),
    Part(
        "access",
        "Who may call",
        {"service/access": None},
        (
            "tests/service/access",
            "tests/service/oidc",
            "tests/service/console/test_sessions.py",
            "tests/service/routes/test_permissions_matrix.py",
            "tests/service/routes/test_tokens.py",
            "tests/service/routes/test_audit.py",
            "tests/security/test_forgery.py",
            "tests/security/test_hostile_requests.py",
        ),
    ),
)
PARTS = {part.name: part for part in _PARTS}
