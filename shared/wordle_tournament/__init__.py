"""The backend of Wordle Tournament: rules, use cases, and the rooms around them."""
