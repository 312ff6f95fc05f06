printf '0,1,0\n0.5,1,0\n-0.25,0.5,0\n' > actions.csv
saccade replay car-racing --seed 1 --actions actions.csv --out states.csv --frames frames --every 2
head -n 2 states.csv
test -s frames/000002.png
