"""Writes the model down as onnxruntime reads it: weights of a byte, each row of them with its scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memoryhub.ai.embedding.e5.weights import Weights

WIDTH, MIDDLE = 384, 1536
# Seven bits and no eighth: a processor without VNNI adds two products of bytes in sixteen bits, and they must fit.
HIGHEST = 63
MICROSOFT = "com.microsoft"  # the operators that onnxruntime adds to the standard: several steps in one


def network(weights: Weights) -> ModelProto:
    """Return a model from (1, n, 384) pieces, each with its place added, to the (1, 384) mean of the last layer."""
    return _Network(weights).written()


class _Network:
    """Collects steps and weights."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._nodes: list[NodeProto] = []
        self._kept: dict[str, NDArray[np.generic]] = {"places": np.array([1])}

    def written(self) -> ModelProto:
        """Write the layers, one on the other."""
        last = self._step("LayerNormalization", "embedded", self._norm("emb.ln"), epsilon=self._weights.epsilon)
        for number in range(self._weights.layers):
            last = self._layer(f"l{number}", last)
        mean = self._step("ReduceMean", last, ["places"], keepdims=0)
        pieces: list[str | int | None] = ["one", "pieces", WIDTH]
        graph = helper.make_graph(
            self._nodes, "multilingual-e5-small",
            [helper.make_tensor_value_info("embedded", TensorProto.FLOAT, pieces)],
            [helper.make_tensor_value_info(mean, TensorProto.FLOAT, ["one", WIDTH])],
            [numpy_helper.from_array(array, name) for name, array in self._kept.items()],
        )  # fmt: skip
        opsets = [helper.make_opsetid("", 18), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=9)

    def _layer(self, name: str, taken: str) -> str:
        """A layer of BERT: who looks at whom, then each piece alone, each time beside what was there."""
        attended = self._attended(name, self._whole_bytes(taken))
        seen = self._beside(taken, self._times(f"{name}.ao", self._whole_bytes(attended), WIDTH), name, "ao", "aln")
        middle = self._times(f"{name}.fi", self._whole_bytes(seen), WIDTH, bias=True)
        thought = self._times_by_piece(f"{name}.fo", self._step("Gelu", middle, domain=MICROSOFT))
        return self._beside(seen, thought, name, "fo", "oln")

    def _attended(self, name: str, taken: list[str]) -> str:
        """Question, key and value by one multiplication; then the heads."""
        kinds = [f"{name}.{kind}" for kind in "qkv"]
        rows = np.concatenate([self._weights.rows(f"{kind}.w", WIDTH) for kind in kinds])
        bias = np.concatenate([self._weights.floats(f"{kind}.b") for kind in kinds])
        all_three = self._multiplied(f"{name}.qkv", rows, taken, bias)
        parts = [f"{name}.{kind}.out" for kind in "qkv"]
        self._nodes.append(helper.make_node("Split", [all_three], parts, axis=2, num_outputs=3))
        return self._step("MultiHeadAttention", parts[0], parts[1:], domain=MICROSOFT, num_heads=self._weights.heads)

    def _beside(self, before: str, new: str, name: str, kind: str, norm: str) -> str:
        bias = self._keep(f"{name}.{kind}.b", self._weights.floats(f"{name}.{kind}.b"))
        others = [new, *self._norm(f"{name}.{norm}"), bias]
        return self._step("SkipLayerNormalization", before, others, domain=MICROSOFT, epsilon=self._weights.epsilon)

    def _times_by_piece(self, name: str, taken: str) -> str:
        """Multiply what was first brought to one height for each piece: a few are a hundred times as high here."""
        height = self._step("ReduceMax", taken, [self._keep("last", np.array([-1]))])
        level = self._step("Div", taken, [height])
        return self._step("Mul", self._times(name, self._whole_bytes(level), MIDDLE), [height])

    def _times(self, name: str, taken: list[str], width: int, *, bias: bool = False) -> str:
        added = self._weights.floats(f"{name}.b") if bias else None
        return self._multiplied(name, self._weights.rows(f"{name}.w", width), taken, added)

    def _multiplied(
        self, name: str, rows: NDArray[np.float32], taken: list[str], bias: NDArray[np.float32] | None
    ) -> str:
        """Multiply bytes by `rows` as bytes, and scale what comes out."""
        scales = np.abs(rows).max(axis=1) / HIGHEST
        columns = np.ascontiguousarray(np.rint(rows / scales[:, None]).astype(np.int8).T)
        whole, scale, zero = taken
        others = [self._keep(f"{name}.w", columns), scale, self._keep(f"{name}.s", scales), zero, ""]
        if bias is not None:
            others.append(self._keep(f"{name}.b", bias))
        return self._step("MatMulIntegerToFloat", whole, others, domain=MICROSOFT)

    def _whole_bytes(self, taken: str) -> list[str]:
        """Round to bytes of one scale; return the names of bytes, scale and zero."""
        made = [f"{taken}.{part}" for part in ("bytes", "scale", "zero")]
        self._nodes.append(helper.make_node("DynamicQuantizeLinear", [taken], made))
        return made

    def _norm(self, name: str) -> list[str]:
        return [self._keep(f"{name}.{part}", self._weights.floats(f"{name}.{part}")) for part in "wb"]

    def _keep(self, name: str, array: NDArray[np.generic]) -> str:
        self._kept[name] = array
        return name

    def _step(self, operator: str, taken: str, others: tuple[str, ...] | list[str] = (), **how: Any) -> str:
        """Add a step and return the name of what it gives."""
        made = f"{operator}.{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, [taken, *others], [made], **how))
        return made
