"""What the API server adds to an object before the scheduler sees it, and what it refuses."""
