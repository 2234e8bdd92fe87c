"""Tenants: who may call, what a tenant has taken of its share, and requests that were answered before.

Imported by the rooms of data and by the service. It stores no data about people.
"""
