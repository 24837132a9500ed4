set grid back lc rgb '#dddddd' lw 1 dt 1
set border lc rgb '#555555'
set key tmargin left vertical maxrows 4 reverse Left
set logscale x 2
set xlabel 'nodes'
set ylabel 'idle share (%)'
set offsets graph 0.02, graph 0.02, 0, 0
set yrange [0:100]
set terminal svg size 960,640 noenhanced font 'DejaVu Sans,13' background '#ffffff'
set output 'idle.svg'
plot 'idle.dat' index 0 with linespoints lw 2 ps 0.8 pt 7 lc rgb '#4477aa' title 'oida, 1 Gbit/s', 'idle.dat' index 1 with linespoints lw 2 ps 0.8 pt 7 lc rgb '#ee6677' title 'oida, 10 Gbit/s', 'idle.dat' index 2 with linespoints lw 2 ps 0.8 pt 7 lc rgb '#228833' title 'oida, 25 Gbit/s', 'idle.dat' index 3 with linespoints lw 2 ps 0.8 pt 7 lc rgb '#ccbb44' title 'oida, 200 Gbit/s', 'idle.dat' index 4 with linespoints lw 2 ps 0.8 pt 6 dt 2 lc rgb '#4477aa' title 'allreduce, 1 Gbit/s', 'idle.dat' index 5 with linespoints lw 2 ps 0.8 pt 6 dt 2 lc rgb '#ee6677' title 'allreduce, 10 Gbit/s', 'idle.dat' index 6 with linespoints lw 2 ps 0.8 pt 6 dt 2 lc rgb '#228833' title 'allreduce, 25 Gbit/s', 'idle.dat' index 7 with linespoints lw 2 ps 0.8 pt 6 dt 2 lc rgb '#ccbb44' title 'allreduce, 200 Gbit/s'
set terminal pngcairo size 960,640 noenhanced font 'DejaVu Sans,13' background '#ffffff'
set output 'idle.png'
plot 'idle.dat' index 0 with linespoints lw 2 ps 0.8 pt 7 lc rgb '#4477aa' title 'oida, 1 Gbit/s', 'idle.dat' index 1 with linespoints lw 2 ps 0.8 pt 7 lc rgb '#ee6677' title 'oida, 10 Gbit/s', 'idle.dat' index 2 with linespoints lw 2 ps 0.8 pt 7 lc rgb '#228833' title 'oida, 25 Gbit/s', 'idle.dat' index 3 with linespoints lw 2 ps 0.8 pt 7 lc rgb '#ccbb44' title 'oida, 200 Gbit/s', 'idle.dat' index 4 with linespoints lw 2 ps 0.8 pt 6 dt 2 lc rgb '#4477aa' title 'allreduce, 1 Gbit/s', 'idle.dat' index 5 with linespoints lw 2 ps 0.8 pt 6 dt 2 lc rgb '#ee6677' title 'allreduce, 10 Gbit/s', 'idle.dat' index 6 with linespoints lw 2 ps 0.8 pt 6 dt 2 lc rgb '#228833' title 'allreduce, 25 Gbit/s', 'idle.dat' index 7 with linespoints lw 2 ps 0.8 pt 6 dt 2 lc rgb '#ccbb44' title 'allreduce, 200 Gbit/s'
