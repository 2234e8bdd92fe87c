"""From a data frame to a verified release, and back: ANTIFAZ_URL and ANTIFAZ_TOKEN say where and who."""

from pathlib import Path

import pandas
from antifaz_client import Client, Refused, TablePolicy

frame = pandas.read_csv(Path(__file__).with_name("patients.csv"), dtype={"zip": str})
policy = (
    TablePolicy(k=5)
    .identifier("name")
    .quasi("age", "sex")
    .quasi("zip", hierarchy={"kind": "mask"})
    .sensitive("disease", l=2)
)
with Client() as client:
    try:
        release = client.publish(frame, policy, name="patients")
    except Refused as refusal:
        raise SystemExit(f"no release: {refusal.reasons}; this would work: {refusal.nearest}") from None
    assert release.verify().holds
    print(release.to_pandas().groupby(["age", "sex", "zip"]).size().min())
