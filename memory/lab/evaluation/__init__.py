"""Measuring the quality of memory on data sets with known answers, beside baselines in the same run."""
