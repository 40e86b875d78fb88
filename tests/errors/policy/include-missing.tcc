include "no-such-file.tcc"
