"""Bodies about what comes in: datasets, policies, hierarchies, questions, jobs and where results go.

Imported by routes and workers. Shapes and limits alone: what a policy means is in `antifaz.policy`.
"""
