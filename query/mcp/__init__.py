"""The index for programs that speak the Model Context Protocol: tools, resources, prompts."""
