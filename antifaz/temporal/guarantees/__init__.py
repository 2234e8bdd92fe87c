"""What must hold in a released temporal graph."""
