"""The files that the atlas is made of; see LICENSES.md."""
