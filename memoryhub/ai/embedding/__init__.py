"""From text to vectors: the embedder inside the package, and those of providers."""
