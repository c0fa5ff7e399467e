"""Learns facts from messages: batch, prefilter, extract, validate, consolidate."""
