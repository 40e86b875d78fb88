tier voice { match dcsp ef }
