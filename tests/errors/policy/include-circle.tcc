include "parts/circle.tcc"
