"""A client of Antifaz: from a data frame, a graph or a file to a verified release, and back.

It knows the URLs of the service and the verifier, and imports nothing else of ours. `client` has the operations,
`transport` sends them, `commands` are those of `antifaz`.

from antifaz_client import Client, TablePolicy

client = Client("https://antifaz.example", token)
policy = TablePolicy(k=5).identifier("name").quasi("age", "zip", "sex").sensitive("disease", l=2)
release = client.publish(frame, policy, name="patients")
release.to_pandas()
"""

from antifaz_client.advice import Advice
from antifaz_client.client import AsyncClient, Client
from antifaz_client.errors import AntifazError, Corrupt, Failed, Fault, Problem, Refused, Unexpected, Unreachable
from antifaz_client.objects import (
    AsyncComparison,
    AsyncDataset,
    AsyncJob,
    AsyncRelease,
    Comparison,
    Dataset,
    Job,
    Release,
    Verification,
)
from antifaz_client.policy import GraphPolicy, TablePolicy, TemporalPolicy
from antifaz_client.progress import Stage
from antifaz_client.questions import Answer

__version__ = "0.1.0"
__all__ = [
    "Advice", "Answer", "AntifazError", "AsyncClient", "AsyncComparison", "AsyncDataset", "AsyncJob", "AsyncRelease",
    "Client", "Comparison", "Corrupt", "Dataset", "Failed", "Fault", "GraphPolicy", "Job", "Problem", "Refused",
    "Release", "Stage", "TablePolicy", "TemporalPolicy", "Unexpected", "Unreachable", "Verification",
]  # fmt: skip
