CREATE SCHEMA dw;
CREATE TABLE dw.dim_paziente (
    id_paziente integer PRIMARY KEY,
    cognome text NOT NULL,
    sesso text NOT NULL
);
CREATE TABLE dw.fact_ablazione (
    id_ablazione integer PRIMARY KEY,
    id_paziente integer NOT NULL REFERENCES dw.dim_paziente (id_paziente),
    data_procedura date NOT NULL,
    ablazione_transcatetere boolean NOT NULL,
    energia text,
    durata_minuti integer
);
CREATE TABLE dw.fact_visita (
    id_visita integer PRIMARY KEY,
    id_paziente integer NOT NULL REFERENCES dw.dim_paziente (id_paziente),
    data_visita date NOT NULL,
    motivo text NOT NULL
);
COMMENT ON TABLE dw.fact_ablazione IS 'Ablazioni, una riga per procedura';
COMMENT ON COLUMN dw.fact_ablazione.ablazione_transcatetere IS 'true = ablazione per via transcatetere';
COMMENT ON COLUMN dw.fact_ablazione.data_procedura IS 'Data della procedura';
INSERT INTO dw.dim_paziente VALUES (1, 'Rossi', 'F'), (2, 'Bianchi', 'M'), (3, 'Verdi', 'F');
INSERT INTO dw.fact_ablazione VALUES
    (1, 1, '2022-03-01', true, 'RF', 90),
    (2, 1, '2022-09-01', false, 'RF', 60),
    (3, 2, '2023-02-10', true, 'CRIO', 80),
    (4, 3, '2023-05-20', true, 'RF', 100),
    (5, 3, '2024-01-15', true, 'PFA', 70),
    (6, 2, '2024-04-02', true, 'RF', 75),
    (7, 2, '2024-04-20', false, 'RF', 95);
INSERT INTO dw.fact_visita VALUES
    (1, 1, '2022-02-01', 'fibrillazione atriale'),
    (2, 2, '2023-01-10', 'sincope');
