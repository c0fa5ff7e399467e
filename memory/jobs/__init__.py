"""Background jobs: the steps of a digest, the phases of a night, the revision of profiles."""
