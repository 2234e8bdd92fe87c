"""Routes of tenants: tokens and the audit trail."""
