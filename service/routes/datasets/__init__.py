"""Routes of datasets: upload, advice, hierarchies, policies and questions."""
