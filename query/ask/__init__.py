"""Any question, by the way of asking that its request calls for."""
