"""The contract between whoever asks and whoever answers: requests, responses, builders."""
