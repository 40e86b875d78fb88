"""Tables that the compiler reads when it needs them."""
