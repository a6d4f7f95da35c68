module plat

go 1.26
