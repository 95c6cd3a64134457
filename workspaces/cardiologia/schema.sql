-- Warehouse of the example workspace: a synthetic cardiology department, 2017-2024.
--
-- The file runs as a whole. The loader runs it section by section ("-- section: NAME"), because
-- bulk COPY is several times faster before keys and indexes exist.

-- section: tables

CREATE SCHEMA datawarehouse;

CREATE TABLE datawarehouse.dim_paziente (
    id_paziente bigint NOT NULL,
    cognome text NOT NULL,
    nome text NOT NULL,
    codice_fiscale char(16) NOT NULL,
    telefono text,
    data_nascita date NOT NULL,
    sesso char(1) NOT NULL,
    data_decesso date,
    comune_residenza text,
    provincia char(2),
    regione text,
    consenso_ricerca boolean,
    note_anagrafiche text
);

CREATE TABLE datawarehouse.dim_tempo (
    data_key integer NOT NULL,
    data date NOT NULL,
    anno smallint NOT NULL,
    trimestre smallint NOT NULL,
    mese smallint NOT NULL,
    nome_mese text NOT NULL,
    giorno_settimana smallint NOT NULL,
    nome_giorno text NOT NULL,
    fine_settimana boolean NOT NULL,
    festivo boolean NOT NULL
);

CREATE TABLE datawarehouse.dim_reparto (
    id_reparto integer NOT NULL,
    codice_reparto varchar(8) NOT NULL,
    descrizione text NOT NULL,
    tipo_reparto char(1) NOT NULL,
    presidio text NOT NULL,
    posti_letto smallint,
    attivo boolean NOT NULL
);

CREATE TABLE datawarehouse.dim_diagnosi (
    id_diagnosi integer NOT NULL,
    codice_icd9 varchar(6) NOT NULL,
    descrizione text NOT NULL,
    categoria text NOT NULL,
    cronica boolean
);

CREATE TABLE datawarehouse.dim_procedura (
    id_procedura integer NOT NULL,
    codice_icd9 varchar(6) NOT NULL,
    descrizione text NOT NULL,
    categoria text NOT NULL,
    invasiva boolean NOT NULL
);

CREATE TABLE datawarehouse.fact_ricovero (
    id_ricovero bigint NOT NULL,
    id_paziente bigint NOT NULL,
    id_reparto integer NOT NULL,
    id_reparto_dimissione integer,
    id_diagnosi_principale integer NOT NULL,
    id_diagnosi_secondaria integer,
    id_procedura_principale integer,
    data_key_ricovero integer NOT NULL,
    data_ricovero date NOT NULL,
    data_dimissione date,
    regime char(1) NOT NULL,
    tipo_ricovero char(1) NOT NULL,
    provenienza char(1),
    esito char(1),
    codice_drg char(3),
    peso_drg numeric(6, 4),
    importo_rimborso numeric(10, 2),
    note_dimissione text
);

CREATE TABLE datawarehouse.fact_ablazione (
    id_ablazione bigint NOT NULL,
    id_paziente bigint NOT NULL,
    id_ricovero bigint,
    id_reparto integer NOT NULL,
    data_key_procedura integer NOT NULL,
    data_procedura date NOT NULL,
    data_prenotazione date,
    ablazione_transcatetere boolean NOT NULL,
    energia varchar(4),
    durata_minuti smallint,
    fluoroscopia_minuti numeric(5, 1),
    successo_acuto boolean,
    complicanza char(1),
    numero_procedura smallint NOT NULL,
    note_operatore text
);

CREATE TABLE datawarehouse.fact_ablazione_procedura_patologia (
    id_ablazione bigint NOT NULL,
    progressivo smallint NOT NULL,
    id_procedura integer NOT NULL,
    id_diagnosi integer,
    patologia text,
    procedure_type text NOT NULL
);

CREATE TABLE datawarehouse.fact_cardioversione (
    id_cardioversione bigint NOT NULL,
    id_paziente bigint NOT NULL,
    id_ricovero bigint,
    id_reparto integer NOT NULL,
    data_key_procedura integer NOT NULL,
    data_procedura date NOT NULL,
    tipo_cardioversione char(1) NOT NULL,
    farmaco text,
    energia_joule smallint,
    numero_shock smallint,
    ritmo_pre text NOT NULL,
    ritmo_post text,
    esito_cardioversione char(1) NOT NULL
);

CREATE TABLE datawarehouse.fact_dispositivo (
    id_dispositivo bigint NOT NULL,
    id_paziente bigint NOT NULL,
    id_ricovero bigint,
    id_reparto integer NOT NULL,
    id_procedura integer NOT NULL,
    data_key_impianto integer NOT NULL,
    data_impianto date NOT NULL,
    data_espianto date,
    tipo_dispositivo varchar(5) NOT NULL,
    motivo_intervento char(1) NOT NULL,
    indicazione text,
    produttore text NOT NULL,
    modello text NOT NULL,
    numero_serie text NOT NULL,
    numero_elettrocateteri smallint NOT NULL,
    monitoraggio_remoto boolean,
    costo_eur numeric(9, 2)
);

CREATE TABLE datawarehouse.fact_visita (
    id_visita bigint NOT NULL,
    id_paziente bigint NOT NULL,
    id_reparto integer NOT NULL,
    id_diagnosi integer,
    data_key_visita integer NOT NULL,
    data_visita date NOT NULL,
    data_prenotazione date,
    tipo_visita char(1) NOT NULL,
    stato_visita char(1) NOT NULL,
    motivo text NOT NULL,
    pressione_sistolica smallint,
    pressione_diastolica smallint,
    frequenza_cardiaca smallint,
    peso_kg numeric(5, 1),
    altezza_cm smallint
);

CREATE TABLE datawarehouse.fact_esame (
    id_esame bigint NOT NULL,
    id_paziente bigint NOT NULL,
    id_ricovero bigint,
    id_visita bigint,
    id_reparto integer NOT NULL,
    data_key_esecuzione integer,
    data_richiesta date NOT NULL,
    data_esecuzione date,
    data_referto date,
    tipo_esame text NOT NULL,
    valore numeric(10, 2),
    unita_misura text,
    esito_esame char(1)
);

-- section: keys

ALTER TABLE datawarehouse.dim_paziente
    ADD PRIMARY KEY (id_paziente),
    ADD UNIQUE (codice_fiscale),
    ADD CHECK (sesso IN ('M', 'F')),
    ADD CHECK (data_decesso >= data_nascita);
ALTER TABLE datawarehouse.dim_tempo
    ADD PRIMARY KEY (data_key),
    ADD UNIQUE (data);
ALTER TABLE datawarehouse.dim_reparto
    ADD PRIMARY KEY (id_reparto),
    ADD UNIQUE (codice_reparto),
    ADD CHECK (tipo_reparto IN ('D', 'I', 'A'));
ALTER TABLE datawarehouse.dim_diagnosi
    ADD PRIMARY KEY (id_diagnosi),
    ADD UNIQUE (codice_icd9);
ALTER TABLE datawarehouse.dim_procedura
    ADD PRIMARY KEY (id_procedura),
    ADD UNIQUE (codice_icd9);

ALTER TABLE datawarehouse.fact_ricovero
    ADD PRIMARY KEY (id_ricovero),
    ADD FOREIGN KEY (id_paziente) REFERENCES datawarehouse.dim_paziente (id_paziente),
    ADD FOREIGN KEY (id_reparto) REFERENCES datawarehouse.dim_reparto (id_reparto),
    ADD FOREIGN KEY (id_reparto_dimissione) REFERENCES datawarehouse.dim_reparto (id_reparto),
    ADD FOREIGN KEY (id_diagnosi_principale) REFERENCES datawarehouse.dim_diagnosi (id_diagnosi),
    ADD FOREIGN KEY (id_diagnosi_secondaria) REFERENCES datawarehouse.dim_diagnosi (id_diagnosi),
    ADD FOREIGN KEY (id_procedura_principale)
        REFERENCES datawarehouse.dim_procedura (id_procedura),
    ADD FOREIGN KEY (data_key_ricovero) REFERENCES datawarehouse.dim_tempo (data_key),
    ADD CHECK (regime IN ('O', 'D')),
    ADD CHECK (tipo_ricovero IN ('P', 'U', 'T')),
    ADD CHECK (provenienza IN ('1', '2', '3', '4')),
    ADD CHECK (esito IN ('1', '2', '3', '4', '5')),
    ADD CHECK (data_dimissione >= data_ricovero),
    ADD CHECK ((data_dimissione IS NULL) = (esito IS NULL));
ALTER TABLE datawarehouse.fact_ablazione
    ADD PRIMARY KEY (id_ablazione),
    ADD FOREIGN KEY (id_paziente) REFERENCES datawarehouse.dim_paziente (id_paziente),
    ADD FOREIGN KEY (id_ricovero) REFERENCES datawarehouse.fact_ricovero (id_ricovero),
    ADD FOREIGN KEY (id_reparto) REFERENCES datawarehouse.dim_reparto (id_reparto),
    ADD FOREIGN KEY (data_key_procedura) REFERENCES datawarehouse.dim_tempo (data_key),
    ADD CHECK (energia IN ('RF', 'CRIO', 'PFA', 'LAS')),
    ADD CHECK (complicanza IN ('N', 'V', 'T', 'I', 'F')),
    ADD CHECK (data_prenotazione <= data_procedura);
ALTER TABLE datawarehouse.fact_ablazione_procedura_patologia
    ADD PRIMARY KEY (id_ablazione, progressivo),
    ADD FOREIGN KEY (id_ablazione) REFERENCES datawarehouse.fact_ablazione (id_ablazione),
    ADD FOREIGN KEY (id_procedura) REFERENCES datawarehouse.dim_procedura (id_procedura),
    ADD FOREIGN KEY (id_diagnosi) REFERENCES datawarehouse.dim_diagnosi (id_diagnosi);
ALTER TABLE datawarehouse.fact_cardioversione
    ADD PRIMARY KEY (id_cardioversione),
    ADD FOREIGN KEY (id_paziente) REFERENCES datawarehouse.dim_paziente (id_paziente),
    ADD FOREIGN KEY (id_ricovero) REFERENCES datawarehouse.fact_ricovero (id_ricovero),
    ADD FOREIGN KEY (id_reparto) REFERENCES datawarehouse.dim_reparto (id_reparto),
    ADD FOREIGN KEY (data_key_procedura) REFERENCES datawarehouse.dim_tempo (data_key),
    ADD CHECK (tipo_cardioversione IN ('E', 'F')),
    ADD CHECK (esito_cardioversione IN ('S', 'I', 'R'));
ALTER TABLE datawarehouse.fact_dispositivo
    ADD PRIMARY KEY (id_dispositivo),
    ADD UNIQUE (numero_serie),
    ADD FOREIGN KEY (id_paziente) REFERENCES datawarehouse.dim_paziente (id_paziente),
    ADD FOREIGN KEY (id_ricovero) REFERENCES datawarehouse.fact_ricovero (id_ricovero),
    ADD FOREIGN KEY (id_reparto) REFERENCES datawarehouse.dim_reparto (id_reparto),
    ADD FOREIGN KEY (id_procedura) REFERENCES datawarehouse.dim_procedura (id_procedura),
    ADD FOREIGN KEY (data_key_impianto) REFERENCES datawarehouse.dim_tempo (data_key),
    ADD CHECK (tipo_dispositivo IN ('PM', 'ICD', 'CRT-P', 'CRT-D', 'ILR')),
    ADD CHECK (motivo_intervento IN ('P', 'S', 'U')),
    ADD CHECK (data_espianto >= data_impianto);
ALTER TABLE datawarehouse.fact_visita
    ADD PRIMARY KEY (id_visita),
    ADD FOREIGN KEY (id_paziente) REFERENCES datawarehouse.dim_paziente (id_paziente),
    ADD FOREIGN KEY (id_reparto) REFERENCES datawarehouse.dim_reparto (id_reparto),
    ADD FOREIGN KEY (id_diagnosi) REFERENCES datawarehouse.dim_diagnosi (id_diagnosi),
    ADD FOREIGN KEY (data_key_visita) REFERENCES datawarehouse.dim_tempo (data_key),
    ADD CHECK (tipo_visita IN ('P', 'C', 'U')),
    ADD CHECK (stato_visita IN ('E', 'A', 'N')),
    ADD CHECK (data_prenotazione <= data_visita);
ALTER TABLE datawarehouse.fact_esame
    ADD PRIMARY KEY (id_esame),
    ADD FOREIGN KEY (id_paziente) REFERENCES datawarehouse.dim_paziente (id_paziente),
    ADD FOREIGN KEY (id_ricovero) REFERENCES datawarehouse.fact_ricovero (id_ricovero),
    ADD FOREIGN KEY (id_visita) REFERENCES datawarehouse.fact_visita (id_visita),
    ADD FOREIGN KEY (id_reparto) REFERENCES datawarehouse.dim_reparto (id_reparto),
    ADD FOREIGN KEY (data_key_esecuzione) REFERENCES datawarehouse.dim_tempo (data_key),
    ADD CHECK (esito_esame IN ('N', 'P', 'D')),
    ADD CHECK (data_esecuzione >= data_richiesta),
    ADD CHECK (data_referto >= data_esecuzione);

CREATE INDEX ON datawarehouse.fact_ricovero (id_paziente, data_ricovero);
CREATE INDEX ON datawarehouse.fact_ricovero (data_ricovero);
CREATE INDEX ON datawarehouse.fact_ablazione (id_paziente);
CREATE INDEX ON datawarehouse.fact_ablazione (id_ricovero);
CREATE INDEX ON datawarehouse.fact_cardioversione (id_paziente);
CREATE INDEX ON datawarehouse.fact_dispositivo (id_paziente);
CREATE INDEX ON datawarehouse.fact_visita (id_paziente);
CREATE INDEX ON datawarehouse.fact_esame (id_paziente);

-- section: comments

COMMENT ON SCHEMA datawarehouse IS
'Data warehouse della cardiologia, anni 2017-2024. Dati sintetici. Estrazione al 31/12/2024.';

COMMENT ON TABLE datawarehouse.dim_paziente IS
'Anagrafica dei pazienti, una riga per paziente (assistito, malato). Contiene tutti i pazienti noti alla cardiologia, anche quelli che non sono mai stati ricoverati. I pazienti nei fatti si contano con COUNT(DISTINCT id_paziente), perché lo stesso paziente compare in più righe.';
COMMENT ON COLUMN datawarehouse.dim_paziente.id_paziente IS
'Identificativo interno del paziente, chiave primaria; non è il codice fiscale e non esce dal data warehouse.';
COMMENT ON COLUMN datawarehouse.dim_paziente.cognome IS
'Cognome del paziente. Dato identificativo.';
COMMENT ON COLUMN datawarehouse.dim_paziente.nome IS
'Nome proprio del paziente. Dato identificativo.';
COMMENT ON COLUMN datawarehouse.dim_paziente.codice_fiscale IS
'Codice fiscale, 16 caratteri, univoco. Dato identificativo; da non usare per i conteggi: usare id_paziente.';
COMMENT ON COLUMN datawarehouse.dim_paziente.telefono IS
'Recapito telefonico. Dato identificativo. NULL se non rilasciato.';
COMMENT ON COLUMN datawarehouse.dim_paziente.data_nascita IS
'Data di nascita. L''età a un evento è in anni compiuti alla data dell''evento: EXTRACT(YEAR FROM age(data_evento, data_nascita)).';
COMMENT ON COLUMN datawarehouse.dim_paziente.sesso IS
'Sesso anagrafico (genere): M = maschio (uomo, uomini), F = femmina (donna, donne). Sempre valorizzato.';
COMMENT ON COLUMN datawarehouse.dim_paziente.data_decesso IS
'Data di decesso (morte) da anagrafe, ovunque avvenuto: in ospedale, a domicilio o altrove. È il campo da usare per contare i pazienti deceduti. NULL = paziente vivo al 31/12/2024. Per i soli decessi durante il ricovero vedi fact_ricovero.esito.';
COMMENT ON COLUMN datawarehouse.dim_paziente.comune_residenza IS
'Comune di residenza. NULL se il paziente risiede all''estero.';
COMMENT ON COLUMN datawarehouse.dim_paziente.provincia IS
'Sigla della provincia di residenza, 2 lettere (per esempio TO, CN). NULL se il paziente risiede all''estero.';
COMMENT ON COLUMN datawarehouse.dim_paziente.regione IS
'Regione di residenza, per esteso (per esempio Piemonte). NULL se il paziente risiede all''estero. Mobilità extraregionale: regione diversa da Piemonte.';
COMMENT ON COLUMN datawarehouse.dim_paziente.consenso_ricerca IS
'Consenso all''uso dei dati per la ricerca: true = concesso, false = negato, NULL = non ancora richiesto (non equivale a negato).';
COMMENT ON COLUMN datawarehouse.dim_paziente.note_anagrafiche IS
'Annotazioni libere dello sportello. Testo non controllato, può contenere dati personali di terzi: non destinato all''analisi.';

COMMENT ON TABLE datawarehouse.dim_tempo IS
'Calendario, una riga per giorno dal 01/01/2017 al 31/12/2024. I fatti la raggiungono con le colonne data_key_*; ogni fatto ha anche la stessa data in chiaro.';
COMMENT ON COLUMN datawarehouse.dim_tempo.data_key IS
'Chiave del giorno nella forma AAAAMMGG (per esempio 20230415), intero.';
COMMENT ON COLUMN datawarehouse.dim_tempo.data IS
'Il giorno come data.';
COMMENT ON COLUMN datawarehouse.dim_tempo.anno IS
'Anno di calendario, da 2017 a 2024.';
COMMENT ON COLUMN datawarehouse.dim_tempo.trimestre IS
'Trimestre di calendario, da 1 (gennaio-marzo) a 4 (ottobre-dicembre).';
COMMENT ON COLUMN datawarehouse.dim_tempo.mese IS
'Mese, numero da 1 (gennaio) a 12 (dicembre).';
COMMENT ON COLUMN datawarehouse.dim_tempo.nome_mese IS
'Nome del mese in italiano, minuscolo (gennaio ... dicembre).';
COMMENT ON COLUMN datawarehouse.dim_tempo.giorno_settimana IS
'Giorno della settimana secondo ISO: 1 = lunedì ... 7 = domenica.';
COMMENT ON COLUMN datawarehouse.dim_tempo.nome_giorno IS
'Nome del giorno in italiano, minuscolo (lunedì ... domenica).';
COMMENT ON COLUMN datawarehouse.dim_tempo.fine_settimana IS
'true per sabato e domenica (weekend).';
COMMENT ON COLUMN datawarehouse.dim_tempo.festivo IS
'true per le feste nazionali a data fissa (1 e 6 gennaio, 25 aprile, 1 maggio, 2 giugno, 15 agosto, 1 novembre, 8, 25 e 26 dicembre). Le domeniche non sono segnate come festivi; Pasqua e Lunedì dell''Angelo non sono compresi.';

COMMENT ON TABLE datawarehouse.dim_reparto IS
'Reparti (unità operative, UO) e ambulatori, una riga ciascuno.';
COMMENT ON COLUMN datawarehouse.dim_reparto.id_reparto IS
'Identificativo del reparto, chiave primaria.';
COMMENT ON COLUMN datawarehouse.dim_reparto.codice_reparto IS
'Codice amministrativo del reparto, univoco (per esempio CAR01).';
COMMENT ON COLUMN datawarehouse.dim_reparto.descrizione IS
'Nome del reparto per esteso, univoco (per esempio Elettrofisiologia, Terapia intensiva cardiologica). Sinonimi d''uso: UTIC = Terapia intensiva cardiologica; aritmologia = Elettrofisiologia.';
COMMENT ON COLUMN datawarehouse.dim_reparto.tipo_reparto IS
'Tipo di reparto: D = degenza, I = terapia intensiva o semintensiva, A = ambulatorio (senza letti, nessun ricovero).';
COMMENT ON COLUMN datawarehouse.dim_reparto.presidio IS
'Presidio ospedaliero (sede, stabilimento) in cui si trova il reparto.';
COMMENT ON COLUMN datawarehouse.dim_reparto.posti_letto IS
'Posti letto accreditati al 31/12/2024. NULL per gli ambulatori, che non ne hanno.';
COMMENT ON COLUMN datawarehouse.dim_reparto.attivo IS
'true se il reparto è ancora aperto al 31/12/2024; i reparti chiusi restano per i fatti storici.';

COMMENT ON TABLE datawarehouse.dim_diagnosi IS
'Nomenclatore delle diagnosi (classificazione ICD-9-CM), una riga per codice.';
COMMENT ON COLUMN datawarehouse.dim_diagnosi.id_diagnosi IS
'Identificativo della diagnosi, chiave primaria.';
COMMENT ON COLUMN datawarehouse.dim_diagnosi.codice_icd9 IS
'Codice ICD-9-CM della diagnosi, con il punto (per esempio 427.31).';
COMMENT ON COLUMN datawarehouse.dim_diagnosi.descrizione IS
'Descrizione della diagnosi (per esempio Fibrillazione atriale, Flutter atriale, Infarto miocardico acuto NSTEMI). Sinonimi d''uso: FA = Fibrillazione atriale.';
COMMENT ON COLUMN datawarehouse.dim_diagnosi.categoria IS
'Gruppo di diagnosi: Aritmie (comprende fibrillazione e flutter atriale, tachicardie, extrasistolia), Disturbi della conduzione, Cardiopatia ischemica (comprende gli infarti e le angine), Scompenso cardiaco (insufficienza cardiaca, tutte le forme), Valvulopatie, Cardiomiopatie, Altre malattie cardiovascolari, Altro. Quando si chiede un gruppo di malattie (aritmia, scompenso cardiaco, cardiopatia ischemica) si usa questa colonna, non la descrizione.';
COMMENT ON COLUMN datawarehouse.dim_diagnosi.cronica IS
'true = malattia cronica, false = acuta; NULL = non classificabile.';

COMMENT ON TABLE datawarehouse.dim_procedura IS
'Nomenclatore delle procedure e degli interventi (ICD-9-CM), una riga per codice. È un elenco di voci: per contare le procedure eseguite si usano i fatti.';
COMMENT ON COLUMN datawarehouse.dim_procedura.id_procedura IS
'Identificativo della procedura, chiave primaria.';
COMMENT ON COLUMN datawarehouse.dim_procedura.codice_icd9 IS
'Codice ICD-9-CM della procedura, con il punto (per esempio 37.34).';
COMMENT ON COLUMN datawarehouse.dim_procedura.descrizione IS
'Descrizione della procedura (per esempio Ablazione transcatetere di aritmia, Coronarografia).';
COMMENT ON COLUMN datawarehouse.dim_procedura.categoria IS
'Gruppo di procedure: ablazione, cardioversione, impianto dispositivo, emodinamica, elettrofisiologia diagnostica, chirurgia, diagnostica non invasiva.';
COMMENT ON COLUMN datawarehouse.dim_procedura.invasiva IS
'true se la procedura è invasiva (accesso vascolare o chirurgico).';

COMMENT ON TABLE datawarehouse.fact_ricovero IS
'Ricoveri ospedalieri (degenze, SDO), una riga per ricovero, anche in day hospital. Un paziente può avere più ricoveri. Non contiene visite ambulatoriali né accessi di pronto soccorso senza ricovero. I ricoveri di un periodo si contano per data_ricovero; i dimessi di un periodo per data_dimissione. Riammissione (ri-ricovero) entro 30 giorni: ricovero dello stesso paziente con data_ricovero da 1 a 30 giorni dopo la data_dimissione di un suo ricovero precedente, in qualunque regime, reparto e per qualunque diagnosi. Tasso di riammissione a 30 giorni: ricoveri seguiti da almeno una riammissione entro 30 giorni sul totale dei ricoveri da cui il paziente è stato dimesso vivo (data_dimissione valorizzata, esito diverso da 2).';
COMMENT ON COLUMN datawarehouse.fact_ricovero.id_ricovero IS
'Identificativo del ricovero (numero nosologico), chiave primaria.';
COMMENT ON COLUMN datawarehouse.fact_ricovero.id_paziente IS
'Paziente ricoverato. Per contare i pazienti ricoverati: COUNT(DISTINCT id_paziente).';
COMMENT ON COLUMN datawarehouse.fact_ricovero.id_reparto IS
'Reparto di ammissione, quello che ha accettato il paziente. È il reparto da usare quando si dice «ricoveri del reparto X» o «ricoverati in X».';
COMMENT ON COLUMN datawarehouse.fact_ricovero.id_reparto_dimissione IS
'Reparto di dimissione, da cui il paziente è uscito; diverso da id_reparto se durante il ricovero c''è stato un trasferimento interno. NULL se il paziente è ancora ricoverato.';
COMMENT ON COLUMN datawarehouse.fact_ricovero.id_diagnosi_principale IS
'Diagnosi principale di dimissione, quella che ha causato il ricovero. «Ricoveri per X», «ricoverati per X» e «ricoveri con diagnosi X» senza altre indicazioni si riferiscono a questa.';
COMMENT ON COLUMN datawarehouse.fact_ricovero.id_diagnosi_secondaria IS
'Prima diagnosi secondaria (comorbidità). NULL = nessuna diagnosi secondaria registrata.';
COMMENT ON COLUMN datawarehouse.fact_ricovero.id_procedura_principale IS
'Intervento o procedura principale del ricovero secondo la SDO. NULL = nessuna procedura codificata. Per ablazioni, cardioversioni e dispositivi fanno fede le tabelle dedicate, che comprendono anche le procedure fuori ricovero.';
COMMENT ON COLUMN datawarehouse.fact_ricovero.data_key_ricovero IS
'Chiave del giorno di ammissione in dim_tempo; stesso giorno di data_ricovero.';
COMMENT ON COLUMN datawarehouse.fact_ricovero.data_ricovero IS
'Data di ammissione (ingresso, accettazione). Data di riferimento per i ricoveri di un anno o di un periodo.';
COMMENT ON COLUMN datawarehouse.fact_ricovero.data_dimissione IS
'Data di dimissione (uscita), anche per decesso. NULL = paziente ancora ricoverato al 31/12/2024. Durata della degenza in giorni = data_dimissione - data_ricovero (0 in day hospital); i ricoveri ancora aperti non hanno degenza.';
COMMENT ON COLUMN datawarehouse.fact_ricovero.regime IS
'Regime di ricovero: O = ordinario, D = day hospital (DH, ingresso e uscita nello stesso giorno).';
COMMENT ON COLUMN datawarehouse.fact_ricovero.tipo_ricovero IS
'Tipo (modalità) di ricovero: P = programmato (elettivo), U = urgente (emergenza), T = trasferito da un altro ospedale.';
COMMENT ON COLUMN datawarehouse.fact_ricovero.provenienza IS
'Chi ha inviato il paziente: 1 = pronto soccorso, 2 = medico di base, 3 = altro ospedale, 4 = ambulatorio specialistico. NULL = non registrata.';
COMMENT ON COLUMN datawarehouse.fact_ricovero.esito IS
'Esito (modalità di dimissione): 1 = dimesso a domicilio, 2 = deceduto durante il ricovero, 3 = trasferito ad altro ospedale, 4 = dimissione volontaria contro il parere dei sanitari, 5 = riabilitazione o RSA. NULL = ancora ricoverato. Mortalità intraospedaliera: ricoveri con esito 2 sul totale dei ricoveri conclusi (data_dimissione valorizzata).';
COMMENT ON COLUMN datawarehouse.fact_ricovero.codice_drg IS
'Codice DRG a 3 cifre. NULL se il ricovero è aperto o non ancora valorizzato.';
COMMENT ON COLUMN datawarehouse.fact_ricovero.peso_drg IS
'Peso relativo del DRG (complessità), adimensionale. NULL se il DRG manca.';
COMMENT ON COLUMN datawarehouse.fact_ricovero.importo_rimborso IS
'Tariffa (rimborso) riconosciuta per il ricovero, in euro. Non è il costo sostenuto. NULL se il DRG manca.';
COMMENT ON COLUMN datawarehouse.fact_ricovero.note_dimissione IS
'Testo libero della lettera di dimissione. Può contenere dati personali: non destinato all''analisi.';

COMMENT ON TABLE datawarehouse.fact_ablazione IS
'Procedure di ablazione (procedure ablative) del cuore, una riga per procedura, sia transcatetere sia chirurgiche, con o senza ricovero. Lo stesso paziente può averne più di una. Il dettaglio di patologie trattate e manovre è in fact_ablazione_procedura_patologia, che ha più righe per ablazione.';
COMMENT ON COLUMN datawarehouse.fact_ablazione.id_ablazione IS
'Identificativo della procedura di ablazione, chiave primaria.';
COMMENT ON COLUMN datawarehouse.fact_ablazione.id_paziente IS
'Paziente sottoposto ad ablazione.';
COMMENT ON COLUMN datawarehouse.fact_ablazione.id_ricovero IS
'Ricovero durante il quale è stata eseguita l''ablazione. NULL = ablazione eseguita in regime ambulatoriale, cioè senza ricovero.';
COMMENT ON COLUMN datawarehouse.fact_ablazione.id_reparto IS
'Reparto che ha eseguito la procedura.';
COMMENT ON COLUMN datawarehouse.fact_ablazione.data_key_procedura IS
'Chiave del giorno della procedura in dim_tempo; stesso giorno di data_procedura.';
COMMENT ON COLUMN datawarehouse.fact_ablazione.data_procedura IS
'Data di esecuzione dell''ablazione. Data di riferimento per le ablazioni di un anno o di un periodo.';
COMMENT ON COLUMN datawarehouse.fact_ablazione.data_prenotazione IS
'Data di inserimento in lista d''attesa. NULL = procedura urgente, mai passata dalla lista. Tempo di attesa in giorni = data_procedura - data_prenotazione.';
COMMENT ON COLUMN datawarehouse.fact_ablazione.ablazione_transcatetere IS
'true = ablazione transcatetere (percutanea, catheter ablation); false = ablazione chirurgica (a cuore aperto o toracoscopica). Chi dice solo «ablazione» intende entrambe.';
COMMENT ON COLUMN datawarehouse.fact_ablazione.energia IS
'Fonte di energia: RF = radiofrequenza, CRIO = crioablazione (crioenergia, palloncino), PFA = campo pulsato (elettroporazione, disponibile dal 2021), LAS = laser. NULL = ablazione chirurgica senza energia (taglio e sutura).';
COMMENT ON COLUMN datawarehouse.fact_ablazione.durata_minuti IS
'Durata della procedura (skin to skin), in minuti. NULL = non registrata.';
COMMENT ON COLUMN datawarehouse.fact_ablazione.fluoroscopia_minuti IS
'Tempo di fluoroscopia (scopia, raggi), in minuti. 0 = procedura senza raggi (zero-fluoro); NULL = non registrato o procedura chirurgica.';
COMMENT ON COLUMN datawarehouse.fact_ablazione.successo_acuto IS
'true = obiettivo della procedura raggiunto in sala, false = non raggiunto. NULL = non valutabile. Non dice nulla sulle recidive successive.';
COMMENT ON COLUMN datawarehouse.fact_ablazione.complicanza IS
'Complicanza maggiore: N = nessuna, V = vascolare (sede di accesso), T = tamponamento cardiaco, I = ictus o TIA, F = paresi del nervo frenico. NULL = scheda non compilata. Il tasso di complicanze è la quota di procedure con codice diverso da N sulle sole procedure con il campo compilato.';
COMMENT ON COLUMN datawarehouse.fact_ablazione.numero_procedura IS
'Numero d''ordine dell''ablazione per quel paziente in questo data warehouse: 1 = prima ablazione, 2 o più = ripetizione (redo).';
COMMENT ON COLUMN datawarehouse.fact_ablazione.note_operatore IS
'Annotazioni libere dell''operatore. Testo non controllato: non destinato all''analisi.';

COMMENT ON TABLE datawarehouse.fact_ablazione_procedura_patologia IS
'Dettaglio delle ablazioni: una riga per ogni manovra eseguita (procedure_type) e patologia trattata durante una ablazione; da 1 a 4 righe per ablazione. La stessa patologia può comparire su più righe della stessa ablazione: per contare le ablazioni usare COUNT(DISTINCT id_ablazione).';
COMMENT ON COLUMN datawarehouse.fact_ablazione_procedura_patologia.id_ablazione IS
'Ablazione a cui appartiene la riga; con progressivo forma la chiave primaria.';
COMMENT ON COLUMN datawarehouse.fact_ablazione_procedura_patologia.progressivo IS
'Numero d''ordine della riga dentro la stessa ablazione, da 1.';
COMMENT ON COLUMN datawarehouse.fact_ablazione_procedura_patologia.id_procedura IS
'Voce del nomenclatore che corrisponde alla manovra.';
COMMENT ON COLUMN datawarehouse.fact_ablazione_procedura_patologia.id_diagnosi IS
'Diagnosi ICD-9-CM che corrisponde alla patologia. NULL = patologia non codificata.';
COMMENT ON COLUMN datawarehouse.fact_ablazione_procedura_patologia.patologia IS
'Aritmia trattata (indicazione dell''ablazione), in minuscolo: fibrillazione atriale, flutter atriale, tachicardia atriale, tachicardia da rientro nodale, tachicardia ventricolare, extrasistolia ventricolare, sindrome di Wolff-Parkinson-White. «Ablazioni per X» si riferisce a questa colonna. NULL per le manovre solo diagnostiche, non legate a una patologia.';
COMMENT ON COLUMN datawarehouse.fact_ablazione_procedura_patologia.procedure_type IS
'Tipo di manovra, in minuscolo: ablazione, isolamento delle vene polmonari, studio elettrofisiologico, mappaggio elettroanatomico, puntura transettale. Il valore «ablazione» indica una singola lesione focale o lineare e non serve a contare le ablazioni: per quello si usa fact_ablazione.';

COMMENT ON TABLE datawarehouse.fact_cardioversione IS
'Cardioversioni, una riga per tentativo terapeutico, elettriche e farmacologiche, in ricovero o ambulatoriali. Non comprende gli shock erogati da un defibrillatore impiantato.';
COMMENT ON COLUMN datawarehouse.fact_cardioversione.id_cardioversione IS
'Identificativo della cardioversione, chiave primaria.';
COMMENT ON COLUMN datawarehouse.fact_cardioversione.id_paziente IS
'Paziente sottoposto a cardioversione.';
COMMENT ON COLUMN datawarehouse.fact_cardioversione.id_ricovero IS
'Ricovero durante il quale è avvenuta. NULL = cardioversione ambulatoriale, senza ricovero.';
COMMENT ON COLUMN datawarehouse.fact_cardioversione.id_reparto IS
'Reparto o ambulatorio che ha eseguito la cardioversione.';
COMMENT ON COLUMN datawarehouse.fact_cardioversione.data_key_procedura IS
'Chiave del giorno in dim_tempo; stesso giorno di data_procedura.';
COMMENT ON COLUMN datawarehouse.fact_cardioversione.data_procedura IS
'Data della cardioversione.';
COMMENT ON COLUMN datawarehouse.fact_cardioversione.tipo_cardioversione IS
'Tipo: E = elettrica (CVE, shock sincronizzato), F = farmacologica (CVF, con antiaritmico).';
COMMENT ON COLUMN datawarehouse.fact_cardioversione.farmaco IS
'Antiaritmico somministrato (amiodarone, flecainide, propafenone, vernakalant). Solo per le farmacologiche; NULL per le elettriche.';
COMMENT ON COLUMN datawarehouse.fact_cardioversione.energia_joule IS
'Energia massima erogata, in joule. Solo per le elettriche; NULL per le farmacologiche.';
COMMENT ON COLUMN datawarehouse.fact_cardioversione.numero_shock IS
'Numero di shock erogati. Solo per le elettriche; NULL per le farmacologiche.';
COMMENT ON COLUMN datawarehouse.fact_cardioversione.ritmo_pre IS
'Ritmo cardiaco prima della cardioversione, in minuscolo: fibrillazione atriale, flutter atriale, tachicardia atriale.';
COMMENT ON COLUMN datawarehouse.fact_cardioversione.ritmo_post IS
'Ritmo cardiaco dopo la cardioversione, in minuscolo: ritmo sinusale, fibrillazione atriale, flutter atriale, tachicardia atriale. NULL = non documentato.';
COMMENT ON COLUMN datawarehouse.fact_cardioversione.esito_cardioversione IS
'Esito: S = riuscita (ripristino del ritmo sinusale), I = insuccesso (inefficace), R = recidiva precoce (ritmo sinusale perso entro 24 ore). È riuscita solo la S. Tasso di successo = riuscite su tutte le cardioversioni.';

COMMENT ON TABLE datawarehouse.fact_dispositivo IS
'Impianti di dispositivi cardiaci (device): pacemaker, defibrillatori, risincronizzatori, loop recorder. Una riga per impianto, cioè per dispositivo: anche sostituzioni e upgrade sono impianti. Un paziente può averne più di uno.';
COMMENT ON COLUMN datawarehouse.fact_dispositivo.id_dispositivo IS
'Identificativo dell''impianto, chiave primaria.';
COMMENT ON COLUMN datawarehouse.fact_dispositivo.id_paziente IS
'Paziente portatore del dispositivo.';
COMMENT ON COLUMN datawarehouse.fact_dispositivo.id_ricovero IS
'Ricovero dell''impianto. NULL = impianto ambulatoriale, senza ricovero.';
COMMENT ON COLUMN datawarehouse.fact_dispositivo.id_reparto IS
'Reparto che ha eseguito l''impianto.';
COMMENT ON COLUMN datawarehouse.fact_dispositivo.id_procedura IS
'Voce del nomenclatore che corrisponde all''impianto.';
COMMENT ON COLUMN datawarehouse.fact_dispositivo.data_key_impianto IS
'Chiave del giorno di impianto in dim_tempo; stesso giorno di data_impianto.';
COMMENT ON COLUMN datawarehouse.fact_dispositivo.data_impianto IS
'Data dell''impianto. Data di riferimento per gli impianti di un anno o di un periodo.';
COMMENT ON COLUMN datawarehouse.fact_dispositivo.data_espianto IS
'Data di rimozione o di sostituzione del dispositivo. NULL = dispositivo ancora in sede (non espiantato), anche se il paziente è nel frattempo deceduto.';
COMMENT ON COLUMN datawarehouse.fact_dispositivo.tipo_dispositivo IS
'Tipo: PM = pacemaker (segnapassi), ICD = defibrillatore impiantabile, CRT-P = pacemaker biventricolare, CRT-D = defibrillatore biventricolare, ILR = loop recorder (monitor cardiaco impiantabile). «Pacemaker» e «defibrillatore» senza altre indicazioni sono PM e ICD; i biventricolari (risincronizzatori) sono contati a parte.';
COMMENT ON COLUMN datawarehouse.fact_dispositivo.motivo_intervento IS
'Motivo: P = primo impianto, S = sostituzione per esaurimento o guasto, U = upgrade a un tipo superiore.';
COMMENT ON COLUMN datawarehouse.fact_dispositivo.indicazione IS
'Indicazione clinica all''impianto, in minuscolo: blocco atrioventricolare, malattia del nodo del seno, fibrillazione atriale, tachicardia ventricolare, scompenso cardiaco, prevenzione primaria, sincope. «Dispositivi per X» si riferisce a questa colonna. NULL = non registrata (frequente nelle sostituzioni).';
COMMENT ON COLUMN datawarehouse.fact_dispositivo.produttore IS
'Produttore (casa, azienda) del dispositivo.';
COMMENT ON COLUMN datawarehouse.fact_dispositivo.modello IS
'Nome commerciale del modello.';
COMMENT ON COLUMN datawarehouse.fact_dispositivo.numero_serie IS
'Numero di serie (matricola), univoco. Permette di risalire al paziente: dato identificativo.';
COMMENT ON COLUMN datawarehouse.fact_dispositivo.numero_elettrocateteri IS
'Numero di elettrocateteri (elettrodi, derivazioni) collegati: da 0 (loop recorder e leadless) a 3.';
COMMENT ON COLUMN datawarehouse.fact_dispositivo.monitoraggio_remoto IS
'true = paziente seguito in telemonitoraggio (controllo remoto), false = no, NULL = non registrato.';
COMMENT ON COLUMN datawarehouse.fact_dispositivo.costo_eur IS
'Costo di acquisto del dispositivo in euro, IVA esclusa. NULL per i dispositivi in conto deposito.';

COMMENT ON TABLE datawarehouse.fact_visita IS
'Visite cardiologiche ambulatoriali, una riga per appuntamento, anche se annullato o non rispettato. Una visita eseguita (effettuata, fatta) ha stato_visita E. «Visite» senza altre indicazioni comprende tutti gli appuntamenti. Non comprende le consulenze durante il ricovero.';
COMMENT ON COLUMN datawarehouse.fact_visita.id_visita IS
'Identificativo della visita, chiave primaria.';
COMMENT ON COLUMN datawarehouse.fact_visita.id_paziente IS
'Paziente dell''appuntamento.';
COMMENT ON COLUMN datawarehouse.fact_visita.id_reparto IS
'Ambulatorio della visita.';
COMMENT ON COLUMN datawarehouse.fact_visita.id_diagnosi IS
'Diagnosi formulata alla visita. NULL = visita non eseguita o conclusa senza diagnosi codificata.';
COMMENT ON COLUMN datawarehouse.fact_visita.data_key_visita IS
'Chiave del giorno dell''appuntamento in dim_tempo; stesso giorno di data_visita.';
COMMENT ON COLUMN datawarehouse.fact_visita.data_visita IS
'Data dell''appuntamento. Data di riferimento per le visite di un anno o di un periodo.';
COMMENT ON COLUMN datawarehouse.fact_visita.data_prenotazione IS
'Data in cui l''appuntamento è stato prenotato. NULL per le visite urgenti, non prenotate. Attesa in giorni = data_visita - data_prenotazione.';
COMMENT ON COLUMN datawarehouse.fact_visita.tipo_visita IS
'Tipo: P = prima visita, C = visita di controllo (follow-up), U = visita urgente.';
COMMENT ON COLUMN datawarehouse.fact_visita.stato_visita IS
'Stato: E = eseguita, A = annullata (disdetta) in anticipo, N = il paziente non si è presentato (no-show).';
COMMENT ON COLUMN datawarehouse.fact_visita.motivo IS
'Motivo (quesito) della visita, in minuscolo: controllo dispositivo, fibrillazione atriale, scompenso cardiaco, ipertensione, dolore toracico, palpitazioni, dispnea, sincope, soffio cardiaco, valutazione preoperatoria. È il quesito posto, non la diagnosi.';
COMMENT ON COLUMN datawarehouse.fact_visita.pressione_sistolica IS
'Pressione arteriosa sistolica (massima), in mmHg. NULL se non misurata o visita non eseguita.';
COMMENT ON COLUMN datawarehouse.fact_visita.pressione_diastolica IS
'Pressione arteriosa diastolica (minima), in mmHg. NULL se non misurata o visita non eseguita.';
COMMENT ON COLUMN datawarehouse.fact_visita.frequenza_cardiaca IS
'Frequenza cardiaca a riposo, in battiti al minuto. NULL se non misurata o visita non eseguita.';
COMMENT ON COLUMN datawarehouse.fact_visita.peso_kg IS
'Peso corporeo, in kg. NULL se non misurato o visita non eseguita. Indice di massa corporea (BMI, IMC) = peso_kg / (altezza_cm / 100.0)^2; obesità: BMI di almeno 30.';
COMMENT ON COLUMN datawarehouse.fact_visita.altezza_cm IS
'Statura, in cm. NULL se non misurata o visita non eseguita.';

COMMENT ON TABLE datawarehouse.fact_esame IS
'Esami strumentali e di laboratorio richiesti dalla cardiologia, una riga per esame, in ricovero o ambulatoriali. Gli esami di un periodo si contano per data_esecuzione; le richieste mai eseguite hanno data_esecuzione NULL.';
COMMENT ON COLUMN datawarehouse.fact_esame.id_esame IS
'Identificativo dell''esame, chiave primaria.';
COMMENT ON COLUMN datawarehouse.fact_esame.id_paziente IS
'Paziente dell''esame.';
COMMENT ON COLUMN datawarehouse.fact_esame.id_ricovero IS
'Ricovero durante il quale l''esame è stato eseguito. NULL = esame fuori ricovero.';
COMMENT ON COLUMN datawarehouse.fact_esame.id_visita IS
'Visita che ha richiesto l''esame. NULL = esame non richiesto da una visita.';
COMMENT ON COLUMN datawarehouse.fact_esame.id_reparto IS
'Reparto o ambulatorio richiedente.';
COMMENT ON COLUMN datawarehouse.fact_esame.data_key_esecuzione IS
'Chiave del giorno di esecuzione in dim_tempo; stesso giorno di data_esecuzione. NULL = esame non eseguito.';
COMMENT ON COLUMN datawarehouse.fact_esame.data_richiesta IS
'Data della richiesta.';
COMMENT ON COLUMN datawarehouse.fact_esame.data_esecuzione IS
'Data di esecuzione (o del prelievo). NULL = esame richiesto e non eseguito. Data di riferimento per gli esami di un anno o di un periodo.';
COMMENT ON COLUMN datawarehouse.fact_esame.data_referto IS
'Data del referto. NULL = esame non eseguito o non ancora refertato.';
COMMENT ON COLUMN datawarehouse.fact_esame.tipo_esame IS
'Tipo di esame: elettrocardiogramma (ECG), Holter, ecocardiogramma (eco), test da sforzo, coronarografia, risonanza magnetica cardiaca, troponina, NT-proBNP, creatinina, potassio, INR. In minuscolo salvo Holter, NT-proBNP e INR.';
COMMENT ON COLUMN datawarehouse.fact_esame.valore IS
'Risultato numerico, nell''unità di unita_misura. Per l''ecocardiogramma è la frazione di eiezione (FE, EF) in percentuale. NULL = esame non eseguito, non refertato o senza risultato numerico (elettrocardiogramma, Holter, test da sforzo, coronarografia).';
COMMENT ON COLUMN datawarehouse.fact_esame.unita_misura IS
'Unità di misura di valore: % (frazione di eiezione), ng/L (troponina), pg/mL (NT-proBNP), mg/dL (creatinina), mmol/L (potassio), ratio (INR). NULL se l''esame non ha un risultato numerico.';
COMMENT ON COLUMN datawarehouse.fact_esame.esito_esame IS
'Esito del referto: N = normale (nella norma), P = patologico (alterato), D = dubbio (da ripetere). NULL = esame non eseguito o non ancora refertato.';
