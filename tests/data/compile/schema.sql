CREATE SCHEMA clinic;
CREATE TABLE clinic.patient (
    patient_id integer PRIMARY KEY, name text NOT NULL, sex char(1), born date NOT NULL, city text
);
CREATE TABLE clinic.ward (ward_id integer PRIMARY KEY, name text NOT NULL, kind text);
CREATE TABLE clinic.diagnosis (
    diagnosis_id integer PRIMARY KEY, description text NOT NULL, category text NOT NULL
);
CREATE TABLE clinic.admission (
    admission_id integer PRIMARY KEY,
    patient_id integer NOT NULL REFERENCES clinic.patient,
    ward_id integer NOT NULL REFERENCES clinic.ward,
    main_diagnosis integer NOT NULL REFERENCES clinic.diagnosis,
    other_diagnosis integer REFERENCES clinic.diagnosis,
    admitted date NOT NULL,
    discharged date,
    urgent boolean,
    cost numeric(10, 2)
);
CREATE TABLE clinic.procedure (
    admission_id integer NOT NULL REFERENCES clinic.admission,
    line integer NOT NULL,
    kind text NOT NULL,
    done_at timestamp NOT NULL,
    minutes integer,
    PRIMARY KEY (admission_id, line)
);
CREATE TABLE clinic.visit (
    visit_id integer PRIMARY KEY,
    patient_id integer NOT NULL REFERENCES clinic.patient,
    visit_year integer NOT NULL,
    reason text NOT NULL
);
CREATE TABLE clinic."Order Line" (
    "Id" integer PRIMARY KEY, "select" text NOT NULL, "Unit Price" numeric NOT NULL, quantity integer NOT NULL
);

INSERT INTO clinic.patient
SELECT i, 'Name ' || i % 7, CASE WHEN i % 11 = 0 THEN NULL WHEN i % 2 = 0 THEN 'F' ELSE 'M' END,
       DATE '1940-01-01' + i * 311, (ARRAY['Trento', 'Rovereto', 'Arco', NULL])[1 + i % 4]
FROM generate_series(1, 60) AS i;
INSERT INTO clinic.ward VALUES (1, 'Cardiology', 'I'), (2, 'Surgery', 'I'), (3, 'Day clinic', 'D'), (4, 'Closed', NULL);
INSERT INTO clinic.diagnosis VALUES
    (1, 'atrial fibrillation', 'arrhythmia'), (2, 'atrial flutter', 'arrhythmia'),
    (3, 'heart failure', 'failure'), (4, '100% occlusion', 'ischemia'), (5, 'o''brien_syndrome', 'rare');
INSERT INTO clinic.admission
SELECT i, 1 + (i / 4) % 50, 1 + (i * i) % 3, 1 + i % 5, CASE WHEN i % 3 = 0 THEN 1 + (i / 3) % 5 END,
       DATE '2020-11-20' + (i * 13) % 900, CASE WHEN i % 10 <> 0 THEN DATE '2020-11-20' + (i * 13) % 900 + i % 9 END,
       CASE WHEN i % 13 = 0 THEN NULL ELSE i % 4 = 0 END, CASE WHEN i % 17 <> 0 THEN 100.5 * (i % 23) END
FROM generate_series(1, 240) AS i;
INSERT INTO clinic.procedure
SELECT a, l, (ARRAY['ablation', 'echo', 'pacing'])[1 + (a + l) % 3],
       TIMESTAMP '2021-01-01 08:00' + make_interval(days => (a * 13) % 700, hours => (a * l) % 24),
       CASE WHEN a % 5 <> 0 THEN 20 + (a * l) % 50 END
FROM generate_series(1, 240) AS a, generate_series(1, 3) AS l WHERE (a + l) % 4 <> 0 AND a % 7 <> 0;
INSERT INTO clinic.visit
SELECT i, 1 + (i * 11) % 60, 2019 + i % 5, (ARRAY['control', 'atrial fibrillation', 'pain'])[1 + i % 3]
FROM generate_series(1, 90) AS i;
INSERT INTO clinic."Order Line"
SELECT i, 'item ' || i % 3, 1.5 * i, i % 4 FROM generate_series(1, 20) AS i;
