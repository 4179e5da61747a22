"""Reports: versioned models with their schemas, made of decisions, and laid out as documents."""
