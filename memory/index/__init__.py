"""What goes into the keyword index and the vector index, and the only code that writes it."""
