"""What a released temporal graph is still good for."""
