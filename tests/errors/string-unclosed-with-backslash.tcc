include "a\
include "b"
