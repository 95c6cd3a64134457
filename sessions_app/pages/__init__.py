"""What the pages show: frozen views of a session, each made with a constant number of queries."""
