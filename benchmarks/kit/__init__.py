"""What the areas share: measuring, boards and positions to measure on, and those who do the same work another way."""
