include "parts/directory.tcc"
