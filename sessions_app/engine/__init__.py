"""The step loop: who may do what in which state, one step at a time, safe to lose at any point."""
