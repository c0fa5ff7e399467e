"""mem0's door: what its clients and its own server's clients call, answered from the hub's memory."""

from memory.mem0 import entities, exports, flat, memories, projects

routers = [each.router for each in (memories, entities, exports, projects, flat)]
