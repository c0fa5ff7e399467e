"""What is asked here was said before."""

from tests.memory.told import tell, toy

__all__ = ["tell", "toy"]
