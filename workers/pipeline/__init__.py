"""The pipeline of a release: protect, seal, verify, measure, publish, on one screen in `pipeline`.

Imported by tasks. It publishes only what the verifier accepted, under the job's fencing token. `pipeline` refuses, with
the nearest setting from `antifaz.nearest`; `lineage` checks a release jointly with earlier ones.
"""
