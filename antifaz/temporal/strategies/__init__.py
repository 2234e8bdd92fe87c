"""How temporal_k_degree chooses degrees and reaches them, one module for each way."""
