"""The door for models: tools, resources and a prompt of the Model Context Protocol, by its official SDK."""
