"""What the hub did: job runs, the action log, budgets, snapshots and journals."""
