include "include-itself.tcc"
