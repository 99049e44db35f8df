"""Publishing an index: what it lost, and the notes of earlier builds."""
