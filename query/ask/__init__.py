"""Answer any question by the way of asking that suits it."""
