"""What a window plays or watches: models that know no Qt."""
